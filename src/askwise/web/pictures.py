"""Pictures of records: only files in the project's folder that a record names, and only types that cannot run code."""

from __future__ import annotations

import hmac
from pathlib import Path
from urllib.parse import quote

from askwise.differences import shown
from askwise.errors import AskwiseError
from askwise.project import Project
from askwise.web.access import Access

KINDS = {
    ".avif": "image/avif",
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
}


class Pictures:
    """Makes signed addresses of pictures, and finds the file of an address."""

    def __init__(self, project: Project, access: Access) -> None:
        self._project = project
        self._access = access
        self._folder = Path(project.folder).resolve()

    def address(self, record: str, field: str) -> str:
        """The address of a picture. It cannot be forged for a record that was not shown."""
        return f"/picture?record={quote(record, safe='')}&field={quote(field, safe='')}&key={self._key(record, field)}"

    def file(self, record: str, field: str, key: str) -> tuple[Path, str] | None:
        """The file and its type, or None if the signature is wrong or there is no such picture."""
        if not hmac.compare_digest(key.encode(), self._key(record, field).encode()):
            return None
        try:
            name = shown(self._project.record(record).get(field))
            path = (self._folder / name).resolve()
        except (AskwiseError, OSError, ValueError):
            return None
        kind = KINDS.get(path.suffix.lower())
        if kind is None or not path.is_relative_to(self._folder) or not path.is_file():
            return None
        return path, kind

    def _key(self, record: str, field: str) -> str:
        return self._access.signature("picture", record, field)
