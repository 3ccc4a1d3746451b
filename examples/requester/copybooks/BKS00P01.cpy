             06 RespBody.
                09 isbn-length                   PIC S9999 COMP-5 SYNC.
                09 isbn                          PIC X(13).
                09 shelf-length                  PIC S9999 COMP-5 SYNC.
                09 shelf                         PIC X(8).
