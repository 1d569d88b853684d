"""Drawings of the book, as SVG made from data."""
