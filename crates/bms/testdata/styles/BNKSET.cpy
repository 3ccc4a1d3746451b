       01  BNKMI.
           02  FILLER PIC X(12).
           02  ACCTL    COMP  PIC  S9(4).
           02  ACCTF    PICTURE X.
           02  FILLER REDEFINES ACCTF.
             03 ACCTA    PICTURE X.
           02  FILLER   PICTURE X(2).
           02  ACCTI  PIC X(8).
           02  NAMEL    COMP  PIC  S9(4).
           02  NAMEF    PICTURE X.
           02  FILLER REDEFINES NAMEF.
             03 NAMEA    PICTURE X.
           02  FILLER   PICTURE X(2).
           02  NAMEI  PIC X(25).
           02  BALL    COMP  PIC  S9(4).
           02  BALF    PICTURE X.
           02  FILLER REDEFINES BALF.
             03 BALA    PICTURE X.
           02  FILLER   PICTURE X(2).
           02  BALI  PIC X(14).
           02  MSGLINEL    COMP  PIC  S9(4).
           02  MSGLINEF    PICTURE X.
           02  FILLER REDEFINES MSGLINEF.
             03 MSGLINEA    PICTURE X.
           02  FILLER   PICTURE X(2).
           02  MSGLINEI  PIC X(79).
       01  BNKMO REDEFINES BNKMI.
           02  FILLER PIC X(12).
           02  FILLER PICTURE X(3).
           02  ACCTC    PICTURE X.
           02  ACCTH    PICTURE X.
           02  ACCTO  PIC X(8).
           02  FILLER PICTURE X(3).
           02  NAMEC    PICTURE X.
           02  NAMEH    PICTURE X.
           02  NAMEO  PIC X(25).
           02  FILLER PICTURE X(3).
           02  BALC    PICTURE X.
           02  BALH    PICTURE X.
           02  BALO  PIC ZZZ,ZZZ,ZZ9.99.
           02  FILLER PICTURE X(3).
           02  MSGLINEC    PICTURE X.
           02  MSGLINEH    PICTURE X.
           02  MSGLINEO  PIC X(79).
