       01  BAQBASE-ORD00Q01.
          03 requestPathParameters.
             06 Xnumber-length                PIC S9999 COMP-5 SYNC.
             06 Xnumber                       PIC X(8).
          03 requestBody.
             06 Xid                           PIC X(4).
             06 urgent                        PIC X.
             06 price                         PIC 9(16)V9(2) COMP-3.
             06 note-existence                PIC S9(9) COMP-5 SYNC.
             06 note.
                09 note2-length                  PIC S9999 COMP-5 SYNC.
                09 note2                         PIC X(20).
             06 Xlines-num                    PIC S9(9) COMP-5 SYNC.
             06 Xlines-cont                   PIC X(16).
       01  ORD00Q01-Xlines.
          03 Xlines.
             06 item-length                   PIC S9999 COMP-5 SYNC.
             06 item                          PIC X(10).
             06 Xcount                        PIC S9(9) COMP-5 SYNC.
             06 tags-num                      PIC S9(9) COMP-5 SYNC.
             06 tags-cont                     PIC X(16).
       01  ORD00Q01-tags.
          03 tags-length                   PIC S9999 COMP-5 SYNC.
          03 tags                          PIC X(5).
          03 filler                        PIC X(1).
       01  BAQBASE-ORD00P01.
          03 responseCode200-existence     PIC S9(9) COMP-5 SYNC.
          03 responseCode200-cont          PIC X(16).
          03 responseCode404-existence     PIC S9(9) COMP-5 SYNC.
          03 responseCode404-cont          PIC X(16).
       01  ORD00P01-responseCode200.
          03 responseCode200.
             06 Xid-length                    PIC S9999 COMP-5 SYNC.
             06 Xid                           PIC X(8).
             06 Xday-existence                PIC S9(9) COMP-5 SYNC.
             06 Xday.
                09 Xday2-length                  PIC S9999 COMP-5 SYNC.
                09 Xday2                         PIC X(32).
             06 done                          PIC X.
             06 items-num                     PIC S9(9) COMP-5 SYNC.
             06 items-cont                    PIC X(16).
       01  ORD00P01-items.
          03 items-length                  PIC S9999 COMP-5 SYNC.
          03 items                         PIC X(10).
       01  ORD00P01-responseCode404.
          03 responseCode404.
             06 Xmessage-length               PIC S9999 COMP-5 SYNC.
             06 Xmessage                      PIC X(50).
