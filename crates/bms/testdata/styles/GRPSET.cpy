       01  GRPMAPI.
           02  FILLER PIC X(12).
           02  BIRTHL    COMP  PIC  S9(4).
           02  BIRTHF    PICTURE X.
           02  FILLER REDEFINES BIRTHF.
             03 BIRTHA    PICTURE X.
           02  BIRTHI.
             03  DDI  PIC X(2).
             03  MMI  PIC X(2).
             03  YYI  PIC X(4).
           02  CITYL    COMP  PIC  S9(4).
           02  CITYF    PICTURE X.
           02  FILLER REDEFINES CITYF.
             03 CITYA    PICTURE X.
           02  CITYI  PIC X(20).
       01  GRPMAPO REDEFINES GRPMAPI.
           02  FILLER PIC X(12).
           02  FILLER PICTURE X(3).
           02  BIRTHO.
             03  DDO  PIC X(2).
             03  MMO  PIC X(2).
             03  YYO  PIC X(4).
           02  FILLER PICTURE X(3).
           02  CITYO  PIC X(20).
