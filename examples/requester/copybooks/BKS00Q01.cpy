             06 ReqBody.
                09 isbn-length                   PIC S9999 COMP-5 SYNC.
                09 isbn                          PIC X(13).
                09 bookName-length               PIC S9999 COMP-5 SYNC.
                09 bookName                      PIC X(40).
                09 writers-num                   PIC S9(9) COMP-5 SYNC.
                09 writers                       OCCURS 5.
                   12 writerName-length
                      PIC S9999 COMP-5 SYNC.
                   12 writerName                    PIC X(30).
                09 price                         PIC 9(16)V9(2) COMP-3.
                09 pages-num                     PIC S9(9) COMP-5 SYNC.
                09 pages                         PIC S9(9) COMP-5 SYNC.
