             06 ReqPathParameters.
                09 isbn-length                   PIC S9999 COMP-5 SYNC.
                09 isbn                          PIC X(13).
