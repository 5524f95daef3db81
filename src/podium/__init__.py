"""podium: which systems are best, how sure are we, and does it depend on how we ask?"""

__version__ = "0.1.0"
