       01  MUL1I.
           02  FILLER PIC X(12).
           02  HEADL    COMP  PIC  S9(4).
           02  HEADF    PICTURE X.
           02  FILLER REDEFINES HEADF.
             03 HEADA    PICTURE X.
           02  HEADI  PIC X(40).
       01  MUL1O REDEFINES MUL1I.
           02  FILLER PIC X(12).
           02  FILLER PICTURE X(3).
           02  HEADO  PIC X(40).
       01  MUL2I REDEFINES MUL1I.
           02  FILLER PIC X(12).
           02  ITEML    COMP  PIC  S9(4).
           02  ITEMF    PICTURE X.
           02  FILLER REDEFINES ITEMF.
             03 ITEMA    PICTURE X.
           02  ITEMI  PIC X(10).
           02  QTYL    COMP  PIC  S9(4).
           02  QTYF    PICTURE X.
           02  FILLER REDEFINES QTYF.
             03 QTYA    PICTURE X.
           02  QTYI  PIC 99999.
       01  MUL2O REDEFINES MUL2I.
           02  FILLER PIC X(12).
           02  FILLER PICTURE X(3).
           02  ITEMO  PIC X(10).
           02  FILLER PICTURE X(3).
           02  QTYO  PIC ZZZZ9.
       01  MUL3I REDEFINES MUL1I.
           02  FILLER PIC X(12).
           02  FOOTL    COMP  PIC  S9(4).
           02  FOOTF    PICTURE X.
           02  FILLER REDEFINES FOOTF.
             03 FOOTA    PICTURE X.
           02  FOOTI  PIC X(79).
       01  MUL3O REDEFINES MUL3I.
           02  FILLER PIC X(12).
           02  FILLER PICTURE X(3).
           02  FOOTO  PIC X(79).
