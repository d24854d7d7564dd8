"""The sources run on Python 3.9, and warn about nothing."""

import ast
import warnings
import unittest
from pathlib import Path

SOURCES = sorted((Path(__file__).parents[1] / "oddswire").rglob("*.py"))
# Modules of the standard library, and the package itself.
ALLOWED = {"pandas", "typing_extensions"}


class Sources(unittest.TestCase):
    def test_have_the_syntax_of_python_3_9(self):
        self.assertGreater(len(SOURCES), 20)
        for source in SOURCES:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                text = source.read_text(encoding="utf-8")
                compile(text, str(source), "exec")
                ast.parse(text, str(source), feature_version=(3, 9))

    def test_say_first_that_annotations_are_texts(self):
        for source in SOURCES:
            if source.name != "__init__.py":
                self.assertIn("from __future__ import annotations\n", source.read_text(encoding="utf-8"))

    def test_import_only_the_standard_library(self):
        import sys

        names = set()
        for source in SOURCES:
            for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    names |= {alias.name.split(".")[0] for alias in node.names}
                if isinstance(node, ast.ImportFrom) and node.level == 0:
                    names.add(node.module.split(".")[0])
        standard = getattr(sys, "stdlib_module_names", names)  # Since Python 3.10.
        self.assertEqual(names - set(standard) - ALLOWED, set())
