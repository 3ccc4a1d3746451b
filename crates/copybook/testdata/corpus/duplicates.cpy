       01  TWINS.
           05  FIRST-ONE.
               10  TWIN                  PIC X.
               10  OTHER-ONE               PIC 9.
           05  SECOND-ONE.
               10  TWIN                  PIC XX.
               10  OTHER-ONE               PIC 99.
