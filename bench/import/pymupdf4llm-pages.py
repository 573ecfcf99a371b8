"""Prints the Markdown of each page of a PDF by pymupdf4llm as a JSON list: pymupdf4llm-pages.py FILE."""

import json
import os
import sys

# The library prints to standard output; the answer goes to the real one.
answer = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

import pymupdf4llm  # noqa: E402

pages = pymupdf4llm.to_markdown(sys.argv[1], page_chunks=True, show_progress=False)
json.dump([page["text"] for page in pages], answer)
answer.close()
