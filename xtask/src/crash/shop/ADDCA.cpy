      * What ADDER is to do, and what it found.
           05  CA-OPERATION            PIC X.
           05  CA-ID                   PIC 9(8).
           05  CA-CLIENT               PIC 9(8).
           05  CA-CODE                 PIC X(8).
           05  CA-FILE                 PIC 9(8).
           05  CA-QUEUE                PIC 9(8).
           05  CA-TABLE                PIC 9(8).
           05  CA-FILE-TOTAL           PIC 9(8).
           05  CA-TABLE-TOTAL          PIC 9(8).
