      * What QADDER is to do, and what it found.
           05  CA-OPERATION            PIC X.
           05  CA-ID                   PIC 9(8).
           05  CA-CODE                 PIC X(8).
           05  CA-HERE                 PIC 9(8).
           05  CA-THERE                PIC 9(8).
           05  CA-STARTED              PIC 9(8).
           05  CA-TRANSIENT            PIC 9(8).
