       01  BAQBASE-BOK02Q01.
          03 requestPathParameters.
             06 isbn-length                   PIC S9999 COMP-5 SYNC.
             06 isbn                          PIC X(13).
