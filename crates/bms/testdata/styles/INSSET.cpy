       01  INSMAP1I.
           02  FILLER PIC X(12).
           02  POLNOL    COMP  PIC  S9(4).
           02  POLNOF    PICTURE X.
           02  FILLER REDEFINES POLNOF.
             03 POLNOA    PICTURE X.
           02  POLNOI  PIC 9(10).
           02  OWNERL    COMP  PIC  S9(4).
           02  OWNERF    PICTURE X.
           02  FILLER REDEFINES OWNERF.
             03 OWNERA    PICTURE X.
           02  OWNERI  PIC X(30).
           02  PREML    COMP  PIC  S9(4).
           02  PREMF    PICTURE X.
           02  FILLER REDEFINES PREMF.
             03 PREMA    PICTURE X.
           02  PREMI  PIC X(11).
           02  MSGL    COMP  PIC  S9(4).
           02  MSGF    PICTURE X.
           02  FILLER REDEFINES MSGF.
             03 MSGA    PICTURE X.
           02  MSGI  PIC X(79).
       01  INSMAP1O REDEFINES INSMAP1I.
           02  FILLER PIC X(12).
           02  FILLER PICTURE X(3).
           02  POLNOO  PIC X(10).
           02  FILLER PICTURE X(3).
           02  OWNERO  PIC X(30).
           02  FILLER PICTURE X(3).
           02  PREMO  PIC $$$,$$0.00-.
           02  FILLER PICTURE X(3).
           02  MSGO  PIC X(79).
