           05  OP-ONE                    PIC X.
           COPY DATEPART.
           05  OP-TWO                    PIC X.
