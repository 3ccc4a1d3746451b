               10  :TAG:-NAME            PIC X(:LEN:).
               10  FILLER                PIC X.
               10  PART-:TAG:            PIC 9(:LEN:)V99.
               10  THE-:TAG:-END         PIC X.
