       01  JCLAMI.
           02  FILLER PIC X(12).
           02  F1L    COMP  PIC  S9(4).
           02  F1F    PICTURE X.
           02  FILLER REDEFINES F1F.
             03 F1A    PICTURE X.
           02  FILLER   PICTURE X(5).
           02  F1I  PIC X(5).
           02  F2L    COMP  PIC  S9(4).
           02  F2F    PICTURE X.
           02  FILLER REDEFINES F2F.
             03 F2A    PICTURE X.
           02  FILLER   PICTURE X(5).
           02  F2I  PIC X(5).
       01  JCLAMO REDEFINES JCLAMI.
           02  FILLER PIC X(12).
           02  FILLER PICTURE X(3).
           02  F1C    PICTURE X.
           02  F1P    PICTURE X.
           02  F1H    PICTURE X.
           02  F1U    PICTURE X.
           02  F1M    PICTURE X.
           02  F1O  PIC X(5).
           02  FILLER PICTURE X(3).
           02  F2C    PICTURE X.
           02  F2P    PICTURE X.
           02  F2H    PICTURE X.
           02  F2U    PICTURE X.
           02  F2M    PICTURE X.
           02  F2O  PIC X(5).
       01  JCLBMI.
           02  FILLER PIC X(12).
           02  G1L    COMP  PIC  S9(4).
           02  G1F    PICTURE X.
           02  FILLER REDEFINES G1F.
             03 G1A    PICTURE X.
           02  G1I  PIC X(5).
       01  JCLBMO REDEFINES JCLBMI.
           02  FILLER PIC X(12).
           02  FILLER PICTURE X(3).
           02  G1O  PIC X(5).
