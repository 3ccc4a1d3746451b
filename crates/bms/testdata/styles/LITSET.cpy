       01  LITMI.
           02  FILLER PIC X(12).
           02  HELPL    COMP  PIC  S9(4).
           02  HELPF    PICTURE X.
           02  FILLER REDEFINES HELPF.
             03 HELPA    PICTURE X.
           02  HELPI  PIC X(10).
           02  TEXT1L    COMP  PIC  S9(4).
           02  TEXT1F    PICTURE X.
           02  FILLER REDEFINES TEXT1F.
             03 TEXT1A    PICTURE X.
           02  TEXT1I  PIC X(60).
           02  XHEXL    COMP  PIC  S9(4).
           02  XHEXF    PICTURE X.
           02  FILLER REDEFINES XHEXF.
             03 XHEXA    PICTURE X.
           02  XHEXI  PIC X(3).
       01  LITMO REDEFINES LITMI.
           02  FILLER PIC X(12).
           02  FILLER PICTURE X(3).
           02  HELPO  PIC X(10).
           02  FILLER PICTURE X(3).
           02  TEXT1O  PIC X(60).
           02  FILLER PICTURE X(3).
           02  XHEXO  PIC X(3).
