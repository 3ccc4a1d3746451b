       01  BAS1I REDEFINES MAPAREA.
           02  FILLER PIC X(12).
           02  F1L    COMP  PIC  S9(4).
           02  F1F    PICTURE X.
           02  FILLER REDEFINES F1F.
             03 F1A    PICTURE X.
           02  F1I  PIC X(5).
       01  BAS1O REDEFINES BAS1I.
           02  FILLER PIC X(12).
           02  FILLER PICTURE X(3).
           02  F1O  PIC X(5).
       01  BAS2I REDEFINES MAPAREA.
           02  FILLER PIC X(12).
           02  F2L    COMP  PIC  S9(4).
           02  F2F    PICTURE X.
           02  FILLER REDEFINES F2F.
             03 F2A    PICTURE X.
           02  F2I  PIC X(50).
       01  BAS2O REDEFINES BAS2I.
           02  FILLER PIC X(12).
           02  FILLER PICTURE X(3).
           02  F2O  PIC X(50).
