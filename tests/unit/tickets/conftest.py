"""Tests of tickets find their shared files beside them."""
