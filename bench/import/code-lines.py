"""
Prints the lines of code of each page of a PDF as a JSON list of lists: code-lines.py FILE. A line is code if all of its
characters but a number before them are in a monospaced font, by PyMuPDF, and the line above or below it in its block too,
and nothing stands beside it.
"""

import json
import re
import sys

import pymupdf

MONO = re.compile(
    r"mono|courier|typewriter|consol|menlo|fixed|terminal|inconsolata|source ?code|fira ?code|^cm(?:tt|sltt|itt)|^sf(?:tt|st)|^[lt]mtt|^txtt|^pcr",
    re.IGNORECASE,
)


def is_code(line):
    spans = [span for span in line["spans"] if span["text"].strip()]
    if len(spans) > 1 and re.fullmatch(r"\s*\d{1,4}\s*", spans[0]["text"]):
        spans = spans[1:]
    if not spans or line["dir"] != (1.0, 0.0):
        return False
    return all(MONO.search(re.sub(r"^[A-Z]{6}\+", "", span["font"])) for span in spans)


def text_of(line):
    return "".join(span["text"] for span in line["spans"])


def stands_alone(row, lines):
    """Whether nothing but a number is beside a row: the cells of a table are no code."""
    if len([line for line in row if not re.fullmatch(r"\s*\d{0,4}\s*", text_of(line))]) > 1:
        return False
    middle = (row[0]["bbox"][1] + row[0]["bbox"][3]) / 2
    for line in lines:
        beside = line not in row and line["bbox"][1] < middle < line["bbox"][3]
        if beside and not re.fullmatch(r"\s*\d{0,4}\s*", text_of(line)):
            return False
    return True


pages = []
for page in pymupdf.open(sys.argv[1]):
    found = []
    blocks = page.get_text("dict")["blocks"]
    every_line = [line for block in blocks for line in block.get("lines", [])]
    for block in blocks:
        rows = []
        for line in block.get("lines", []):
            if rows and abs(rows[-1][0]["bbox"][3] - line["bbox"][3]) < 2:
                rows[-1].append(line)
            else:
                rows.append([line])
        codes = [all(is_code(line) for line in row) for row in rows]
        for index, row in enumerate(rows):
            near = codes[max(0, index - 1) : index] + codes[index + 1 : index + 2]
            if codes[index] and any(near) and stands_alone(row, every_line):
                found.append("".join(text_of(line) for line in row))
    pages.append(found)
json.dump(pages, sys.stdout)
