"use strict";
// The page works without this: it only opens and closes many sections at once.
(function () {
  var closed = [];
  addEventListener("beforeprint", function () {
    closed = Array.from(document.querySelectorAll("details:not([open]):not(.long)"));
    closed.forEach(function (each) { each.open = true; });
  });
  addEventListener("afterprint", function () {
    closed.forEach(function (each) { each.open = false; });
  });
  var controls = document.getElementById("controls");
  if (!controls) { return; }
  function setOpen(selector, isOpen) {
    document.querySelectorAll(selector).forEach(function (each) { each.open = isOpen; });
  }
  function button(label, action) {
    var made = document.createElement("button");
    made.type = "button";
    made.textContent = label;
    made.addEventListener("click", action);
    controls.appendChild(made);
  }
  function openTarget() {
    var target = location.hash && document.getElementById(location.hash.slice(1));
    if (target && target.tagName === "A") { target = target.nextElementSibling; }
    if (target && target.tagName === "DETAILS") { target.open = true; target.scrollIntoView(); }
  }
  button("Open all trials", function () { setOpen("details.trial", true); });
  button("Close all trials", function () { setOpen("details.trial", false); });
  if (document.querySelector("details.truth")) {
    button("Show every truth", function () { setOpen("details.trial, details.truth", true); });
    button("Hide every truth", function () { setOpen("details.truth", false); });
  }
  addEventListener("hashchange", openTarget);
  openTarget();
})();
