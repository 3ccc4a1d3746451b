       01  LSTMAPI.
           02  FILLER PIC X(12).
           02  PICKD OCCURS 1 TIMES.
             03  PICKL    COMP  PIC  S9(4).
             03  PICKF    PICTURE X.
             03  FILLER   PICTURE X(4).
             03  PICKI  PIC X(1).
           02  LINEXD OCCURS 15 TIMES.
             03  LINEXL    COMP  PIC  S9(4).
             03  LINEXF    PICTURE X.
             03  FILLER   PICTURE X(4).
             03  LINEXI  PIC X(79).
           02  PAGENOL    COMP  PIC  S9(4).
           02  PAGENOF    PICTURE X.
           02  FILLER REDEFINES PAGENOF.
             03 PAGENOA    PICTURE X.
           02  FILLER   PICTURE X(4).
           02  PAGENOI  PIC X(4).
       01  LSTMAPO REDEFINES LSTMAPI.
           02  FILLER PIC X(12).
           02  DFHMS1 OCCURS 1 TIMES.
             03  FILLER PICTURE X(2).
             03  PICKA    PICTURE X.
             03  PICKC    PICTURE X.
             03  PICKP    PICTURE X.
             03  PICKH    PICTURE X.
             03  PICKV    PICTURE X.
             03  PICKO  PIC X(1).
           02  DFHMS2 OCCURS 15 TIMES.
             03  FILLER PICTURE X(2).
             03  LINEXA    PICTURE X.
             03  LINEXC    PICTURE X.
             03  LINEXP    PICTURE X.
             03  LINEXH    PICTURE X.
             03  LINEXV    PICTURE X.
             03  LINEXO  PIC X(79).
           02  FILLER PICTURE X(3).
           02  PAGENOC    PICTURE X.
           02  PAGENOP    PICTURE X.
           02  PAGENOH    PICTURE X.
           02  PAGENOV    PICTURE X.
           02  PAGENOO  PIC ZZZ9.
