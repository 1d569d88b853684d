// Sphinx's search reads a page again to show its text. A browser does not let files do that.
"use strict";
DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = location.protocol !== "file:";
