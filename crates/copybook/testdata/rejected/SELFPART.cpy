           05  S1 PIC X.
           COPY OTHERSELF.
