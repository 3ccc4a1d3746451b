             06 ReqPathParameters.
                09 isbn-length                   PIC S9999 COMP-5 SYNC.
                09 isbn                          PIC X(13).
             06 ReqQueryParameters.
                09 tongue-num                    PIC S9(9) COMP-5 SYNC.
                09 tongue.
                   12 tongue2-length
                      PIC S9999 COMP-5 SYNC.
                   12 tongue2                       PIC X(2).
