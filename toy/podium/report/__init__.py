"""How any result is shown, whatever it says: tables, pages, pictures, formats."""
