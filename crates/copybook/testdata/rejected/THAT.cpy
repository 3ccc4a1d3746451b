           05  THAT-A PIC X.
