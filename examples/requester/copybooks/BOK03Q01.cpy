       01  BAQBASE-BOK03Q01.
          03 requestPathParameters.
             06 isbn-length                   PIC S9999 COMP-5 SYNC.
             06 isbn                          PIC X(13).
          03 requestBody.
             06 isbn-patch-operation          PIC X(1).
             06 isbn2-length                  PIC S9999 COMP-5 SYNC.
             06 isbn2                         PIC X(13).
             06 bookName-patch-operation      PIC X(1).
             06 bookName-length               PIC S9999 COMP-5 SYNC.
             06 bookName                      PIC X(40).
             06 writers-patch-operation       PIC X(1).
             06 writers-num                   PIC S9(9) COMP-5 SYNC.
             06 writers-dataarea              PIC X(16).
             06 price-patch-operation         PIC X(1).
             06 price                         PIC 9(16)V9(2) COMP-3.
             06 pages-patch-operation         PIC X(1).
             06 pages                         PIC S9(9) COMP-5 SYNC.
       01  BOK03Q01-writers.
          03 writers.
             06 writerName-length             PIC S9999 COMP-5 SYNC.
             06 writerName                    PIC X(30).
