      * nested
       01  OUTER-REC.
           COPY INNER.
           05  OU-:TAG:          PIC 9(4) COMP.
