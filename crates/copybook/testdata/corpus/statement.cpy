       01  PRINT-LINE.
           05  PL-DATE                   PIC 99/99/99.
           05                            PIC X(2) VALUE SPACES.
           05  PL-TEXT                   PIC X(30).
           05                            PIC X.
           05  PL-DEBIT                  PIC Z(6)9.99BDB.
           05  PL-CREDIT                 PIC Z(6)9.99BCR.
           05  PL-BALANCE                PIC $$$,$$$,$$9.99-.
           05  PL-CHECK                  PIC *(8)9.99.
           05  PL-RATE                   PIC ZV9(3).
