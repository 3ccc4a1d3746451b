       01  BAQBASE-BOK03P01.
          03 responseCode200-existence     PIC S9(9) COMP-5 SYNC.
          03 responseCode200-dataarea      PIC X(16).
       01  BOK03P01-responseCode200.
          03 responseCode200.
             06 isbn-length                   PIC S9999 COMP-5 SYNC.
             06 isbn                          PIC X(13).
             06 bookName-length               PIC S9999 COMP-5 SYNC.
             06 bookName                      PIC X(40).
             06 writers-num                   PIC S9(9) COMP-5 SYNC.
             06 writers-dataarea              PIC X(16).
             06 price                         PIC 9(16)V9(2) COMP-3.
             06 pages-existence               PIC S9(9) COMP-5 SYNC.
             06 pages                         PIC S9(9) COMP-5 SYNC.
       01  BOK03P01-writers.
          03 writers.
             06 writerName-length             PIC S9999 COMP-5 SYNC.
             06 writerName                    PIC X(30).
