-- An answer that takes three seconds to begin.
SELECT sleep(3)
