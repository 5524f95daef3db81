"""The input table: systems × tasks × instances, its weights, its blocks."""
