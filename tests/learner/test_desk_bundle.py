"""The desk's editor: what is committed is what the pinned packages make."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from tools.editor.__main__ import HERE, STATIC, bundle

pytestmark = pytest.mark.any_python


def test_every_package_is_pinned_by_version_and_hash_without_an_address() -> None:
    text = (HERE / "package-lock.json").read_text(encoding="utf-8")
    assert "://" not in text
    packages = {name: one for name, one in json.loads(text)["packages"].items() if name}
    for one in packages.values():
        assert re.fullmatch(r"\d+\.\d+\.\d+", one["version"])
        assert one["integrity"].startswith("sha512-")
    wanted = json.loads((HERE / "package.json").read_text(encoding="utf-8"))["dependencies"]
    assert wanted == {name: packages[f"node_modules/{name}"]["version"] for name in wanted}


def test_every_package_in_the_bundle_has_its_licence_beside_it() -> None:
    text = (STATIC / "codemirror.LICENSE").read_text(encoding="utf-8")
    locked = json.loads((HERE / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    names = [one.removeprefix("node_modules/") for one in locked if one and "esbuild" not in one]
    for name in names:
        assert f"{name} {locked[f'node_modules/{name}']['version']}\n" in text
    assert text.count("Permission is hereby granted") == len(names)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_the_bundle_is_what_the_packages_make() -> None:
    for name, content in bundle().items():
        assert (STATIC / name).read_bytes() == content
