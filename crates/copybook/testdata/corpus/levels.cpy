       01  MANY-LEVELS.
        02 L2.
         03 L3.
          04 L4.
           05 L5.
            06 L6.
             10 L10.
              12 L12.
               20 L20.
                30 L30.
                 40 L40.
                  48 L48.
                   49 L49                PIC X.
          04 L4B                         PIC X(2).
        02 L2B                           PIC X(3).
       77  STANDALONE                    PIC S9(4) COMP VALUE +1.
       77  STANDALONE-TABLE              PIC X(3) OCCURS 4.
       1   SHORT-LEVEL                   PIC X.
