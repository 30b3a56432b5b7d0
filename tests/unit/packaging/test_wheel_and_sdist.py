"""What is published holds everything that the commands need, and nothing that they don't."""

import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
DATA = ("fabrics", "campaigns", "collectors", "scenarios", "recordings")
NOT_DATA = ("scenarios/generated/", "/.")


def built(source: Path, into: Path, kind: str) -> Path:
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(into)],
        cwd=source, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return next(into.glob("*.tar.gz" if kind == "sdist" else "*.whl"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(ROOT, tmp_path_factory.mktemp("sdist"), "sdist")


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built out of the sdist, as those do who have nothing else."""
    folder = tmp_path_factory.mktemp("unpacked")
    shutil.unpack_archive(sdist, folder)
    return built(next(folder.iterdir()), tmp_path_factory.mktemp("wheel"), "wheel")


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Runs the installed command away from the checkout; what it depends on is that of these tests."""
    folder = tmp_path_factory.mktemp("installed")
    python = folder / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)
    site = next((folder / "venv").glob("lib/python*/site-packages"))
    # Folders named in a .pth file are searched, but their own .pth files are not: an editable install stays out.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")

    def command(*words: str, program: str = "netopsbench") -> str:
        done = subprocess.run(
            [str(python.parent / program), *words], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return command


def data_files(top: Path) -> set[str]:
    """Data that ships, relative to the checkout."""
    found = {str(path.relative_to(top)) for name in DATA for path in (top / name).rglob("*") if path.is_file()}
    return {name for name in found if not any(mark in f"/{name}" for mark in NOT_DATA)}


def test_the_wheel_holds_the_package_its_data_and_nothing_else(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith("/")}
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"netopsbench"}
    package = {
        str(path.relative_to(ROOT)) for path in (ROOT / "netopsbench").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }  # fmt: skip
    assert package - names == set()
    assert {f"netopsbench/_data/{name}" for name in data_files(ROOT)} - names == set()
    assert "netopsbench/_data/schema/trial.schema.json" in names
    assert "netopsbench/_data/examples/agent.sh" in names
    assert not [name for name in names if "tests" in name.split("/") or "generated" in name.split("/")]


def test_the_sdist_holds_what_is_needed_to_build_test_and_read(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for wanted in ("README.md", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "mkdocs.yml",
                   "pyproject.toml", "scripts/test.sh", "tests/conftest.py", "docs/index.md"):  # fmt: skip
        assert wanted in names
    assert data_files(ROOT) - names == set()
    assert not [name for name in names if name.startswith(("runs/", "dist/", ".venv/", "scenarios/generated/"))]


def test_the_installed_package_finds_its_data_away_from_the_checkout(installed: Callable[..., str]) -> None:
    where = installed("-c", "import netopsbench; print(netopsbench.__file__)", program="python")
    assert str(ROOT) not in where
    version = installed("--version")
    assert version == f"netopsbench {version.split()[1]}\n"
    assert "spine2" in installed("fabric", "graph", "xs")
    assert '"links"' in installed("fabric", "export", "xs", "--format", "json")
    assert len(installed("benchmark", "run", "smoke", "--agent", "baseline", "--dry-run").splitlines()) > 12


def test_the_installed_package_renders_fabrics(installed: Callable[..., str]) -> None:
    program = (
        "from netopsbench.core.files import known_data\n"
        "from netopsbench.fabric.build import plan_fabric\n"
        "from netopsbench.fabric.load import load_spec\n"
        "from netopsbench.fabric.render import render_files\n"
        "small = [name for name in known_data('fabrics') if name in ('xs', 'small', 'fat-tree-k8')]\n"
        "print(*(bool(render_files(plan_fabric(load_spec(name)))) for name in small))\n"
    )
    assert installed("-c", program, program="python").split() == ["True"] * 3


def test_the_versions_of_package_and_citation_agree() -> None:
    citation = (ROOT / "CITATION.cff").read_text()
    project = (ROOT / "pyproject.toml").read_text()
    version = next(line for line in project.splitlines() if line.startswith("version = ")).split('"')[1]
    assert f"version: {version}\n" in citation
