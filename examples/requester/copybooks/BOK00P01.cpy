       01  BAQBASE-BOK00P01.
          03 responseCode201-existence     PIC S9(9) COMP-5 SYNC.
          03 responseCode201-dataarea      PIC X(16).
          03 responseCode409-existence     PIC S9(9) COMP-5 SYNC.
          03 responseCode409-dataarea      PIC X(16).
       01  BOK00P01-responseCode201.
          03 responseCode201.
             06 isbn-length                   PIC S9999 COMP-5 SYNC.
             06 isbn                          PIC X(13).
             06 shelf-length                  PIC S9999 COMP-5 SYNC.
             06 shelf                         PIC X(8).
       01  BOK00P01-responseCode409.
          03 responseCode409.
             06 reason-length                 PIC S9999 COMP-5 SYNC.
             06 reason                        PIC X(60).
