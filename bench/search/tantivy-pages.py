"""Ranks the pages of a collection with tantivy (PyPI: tantivy), a question as OR of its words.

Reads {lang, docs: [{id, text}], queries: [{id, text}]} from standard input; writes {ms: milliseconds of indexing,
ranked: {query id: [page ids, best first]}}."""

import json
import re
import sys
import tempfile
import time

import tantivy

NAMES = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}

collection = json.load(sys.stdin)
builder = tantivy.SchemaBuilder()
builder.add_text_field("id", stored=True, tokenizer_name="raw")
builder.add_text_field("text", tokenizer_name="words", index_option="position")
analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.lowercase())
language = NAMES.get(collection["lang"])
if language:
    analyzer = analyzer.filter(tantivy.Filter.stemmer(language))
with tempfile.TemporaryDirectory() as folder:
    index = tantivy.Index(builder.build(), path=folder)
    index.register_tokenizer("words", analyzer.build())
    started = time.process_time()
    writer = index.writer(64_000_000, 1)
    for page in collection["docs"]:
        writer.add_document(tantivy.Document(id=page["id"], text=page["text"]))
    writer.commit()
    writer.wait_merging_threads()
    milliseconds = (time.process_time() - started) * 1000
    index.reload()
    searcher = index.searcher()
    ranked = {}
    for query in collection["queries"]:
        words = " ".join(re.findall(r"\w+", query["text"].lower()))
        if words == "":
            ranked[query["id"]] = []
            continue
        parsed = index.parse_query(" ".join(f'"{word}"' for word in words.split()), ["text"])
        hits = searcher.search(parsed, 10).hits
        ranked[query["id"]] = [searcher.doc(address)["id"][0] for _, address in hits]
json.dump({"ms": milliseconds, "ranked": ranked}, sys.stdout)
