"""What fields and headings of decision records are called, in English and where templates were translated.

German and French by https://github.com/adr/madr/tree/develop/template/i18n and by the template of log4brains.
"""

import re
import unicodedata
from typing import Final

OUTCOME: Final = ("decision outcome", "decision")
CONTEXT: Final = ("context and problem statement", "context", "problem statement")
OPTIONS: Final = ("considered options", "options considered", "alternatives considered", "options")
PEOPLE: Final = {
    "deciders": ("decision-makers", "decision makers", "deciders", "decider", "authors", "author"),
    "consulted": ("consulted",),
    "informed": ("informed",),
}
FIELDS: Final = ("title", "status", "date", *(name for names in PEOPLE.values() for name in names))
"""The fields that a record has a place for."""

_TRANSLATED: Final = {
    **dict.fromkeys(("statut", "estado", "stato", "статус", "状态", "狀態", "ステータス"), "status"),
    **dict.fromkeys(("datum", "fecha", "дата", "日期"), "date"),
    **dict.fromkeys(("entscheidende", "entscheider", "décideurs", "decisores"), "deciders"),
    **dict.fromkeys(("beratende", "consultés"), "consulted"),
    **dict.fromkeys(("informierte", "informés"), "informed"),
    **dict.fromkeys(("entscheidung", "décision", "decisión", "decisão"), "decision"),
    "résultat de la décision": "decision outcome",
    **dict.fromkeys(("kontext", "contexte", "contexto"), "context"),
    **dict.fromkeys(
        ("kontext und problemstellung", "contexte et énoncé du problème"), "context and problem statement"
    ),
    **dict.fromkeys(
        ("betrachtete optionen", "options envisagées", "options considérées"), "considered options"
    ),
}


def name(text: str) -> str:
    """A field or a heading as it is compared: in English, without its number, emphasis and colon."""
    plain = re.sub(r"^\d+(?:\.\d+)*[.)]?\s+", "", text.strip("*_:： \u00a0")).strip("*_:： \u00a0")
    folded = unicodedata.normalize("NFC", plain).lower()
    return _TRANSLATED.get(folded, folded)
