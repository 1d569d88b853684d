"""Bundles the desk's editor from pinned npm packages."""
