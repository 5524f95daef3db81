from podium.report.table import Column, Table
from podium.report.view import View
def view_count(count):
    return View("a count", (Table((Column.words("name", count.names),)),), count.notes)
