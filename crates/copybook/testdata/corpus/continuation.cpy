       01  CONTINUED.
           05  CONTINUED-LITERAL         PIC X(60) VALUE 'A LITERAL TH
      -    'AT GOES ON ON THE NEXT LINE'.
           05  CONTINUED-WO
      -    RD                            PIC X(3).
           05  CONTINUED-CLAUSE          PIC
               X(4)
               VALUE
               'ABCD'.
      * a comment between the lines of one literal
           05  CONTINUED-AGAIN           PIC X(50) VALUE "ONE
      * remark
      -    "TWO".
