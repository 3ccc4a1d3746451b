           05  S2 PIC X.
           COPY SELFPART.
