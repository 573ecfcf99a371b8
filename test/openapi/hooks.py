"""What schemathesis has to know of this API beyond its description: texts of formats, and calls that depend on each other."""

import schemathesis
from hypothesis import strategies as st

letters = st.text(alphabet="abcXYZ019éßñжλ中", min_size=1, max_size=12)
schemathesis.openapi.format("sluggable", st.builds(lambda a, b: f"{a} {b}".strip(), letters, letters))
schemathesis.openapi.format("slug-or-id", st.text(alphabet="abcXYZ019éж_-", min_size=1, max_size=64))
schemathesis.openapi.format("iana-time-zone", st.sampled_from(["UTC", "Europe/Madrid", "Asia/Kolkata", "America/New_York"]))
schemathesis.openapi.format(
    "book-filename",
    st.builds(lambda stem, end: stem + end, letters, st.sampled_from([".pdf", ".epub", ".md", ".markdown", ".PDF"])),
)

types = {"pdf": "application/pdf", "epub": "application/epub+zip", "md": "text/markdown", "markdown": "text/plain"}


@schemathesis.hook
def before_call(context, case, kwargs):
    """Two fields that say the same must agree, which JSON Schema cannot say."""
    operation = case.operation.definition.raw.get("operationId")
    body = case.body if isinstance(case.body, dict) else {}
    if operation == "start_upload" and case.meta and case.meta.generation.mode.is_positive:
        ending = str(body.get("filename", "")).strip().rsplit(".", 1)[-1].lower()
        if ending in types:
            body["contentType"] = types[ending]
