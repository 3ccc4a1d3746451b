       01  OUTMO.
           02  FILLER PICTURE X(2).
           02  TOTALA    PICTURE X.
           02  TOTALC    PICTURE X.
           02  TOTALP    PICTURE X.
           02  TOTALH    PICTURE X.
           02  TOTALV    PICTURE X.
           02  TOTALU    PICTURE X.
           02  TOTALM    PICTURE X.
           02  TOTALO  PIC Z,ZZ9.99-.
