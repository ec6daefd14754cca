"""Where is what happened kept, and how is it read again, now and as of any moment?"""
