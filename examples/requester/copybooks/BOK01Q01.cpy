       01  BAQBASE-BOK01Q01.
          03 requestPathParameters.
             06 isbn-length                   PIC S9999 COMP-5 SYNC.
             06 isbn                          PIC X(13).
          03 requestQueryParameters.
             06 tongue-existence              PIC S9(9) COMP-5 SYNC.
             06 tongue.
                09 tongue2-length                PIC S9999 COMP-5 SYNC.
                09 tongue2                       PIC X(2).
