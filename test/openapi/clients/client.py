"""Twelve calls by a client that openapi-python-client made: `python client.py URL KEY`."""

import sys

from lectern import AuthenticatedClient
from lectern.api.account import whoami
from lectern.api.books import create_markdown_item, delete_items, list_items
from lectern.api.reading import get_item_content, get_table_of_contents, read_items
from lectern.api.search import search_items
from lectern.api.shelves import add_to_shelf, create_shelf, list_shelves
from lectern.api.uploads import get_job
from lectern import models

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2], raise_on_unexpected_status=True)
content = "# One\n\nlye and fat\n# Two\n\ntext\n"

account = whoami.sync(client=client)
assert isinstance(account, models.Account), account
book = create_markdown_item.sync(client=client, body=models.CreateMarkdownItemRequest(title="Soap", content=content))
assert isinstance(book, models.CreatedBook) and book.page_count == 2, book
books = list_items.sync(client=client)
assert books.items[0].author is None and books.items[0].created_at.year > 2000, books
tocs = get_table_of_contents.sync(client=client, body=models.GetTableOfContentsRequest(ids=[book.id]))
assert len(tocs.items[0].toc) == 2, tocs
body = models.ReadItemsRequest.from_dict({"items": [{"id": book.id, "pages": "2"}]})
assert read_items.sync(client=client, body=body).items[0].pages[0].page_num == 2
assert get_item_content.sync(item_id=book.id, client=client).content == content
assert search_items.sync(client=client, query="lye", limit=5).items[0].hits[0].page == 1
shelf = create_shelf.sync(client=client, body=models.CreateShelfRequest(name="To read", color="#3366cc"))
assert isinstance(shelf, models.Shelf), shelf
added = add_to_shelf.sync(id=shelf.slug, client=client, body=models.AddToShelfRequest(item_ids=[book.id]))
assert added.not_found == [], added
assert list_shelves.sync(client=client).shelves[0].item_count == 1
assert delete_items.sync(client=client, body=models.DeleteItemsRequest(ids=[book.id])).deleted == [book.id]
refusal = get_job.sync(job_id="none", client=client)
assert isinstance(refusal, models.NotFoundError) and refusal.code == "NOT_FOUND", refusal
print("12 calls")
