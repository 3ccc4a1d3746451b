       01  EZA-WORK.
           05  EZA-FUNCTION              PIC X(16).
           05  EZA-SOCKET                PIC 9(4) BINARY.
           05  EZA-NAME.
               10  EZA-FAMILY            PIC 9(4) BINARY.
               10  EZA-PORT              PIC 9(4) BINARY.
               10  EZA-IP-ADDRESS        PIC 9(8) BINARY.
               10  EZA-RESERVED          PIC X(8).
           05  EZA-TIMEOUT.
               10  EZA-SECONDS           PIC 9(8) COMP.
               10  EZA-MICROSECONDS      PIC 9(8) COMP.
           05  EZA-ERRNO                 PIC 9(8) BINARY.
           05  EZA-RETCODE               PIC S9(8) BINARY.
           05  EZA-BUFFER-PTR            USAGE IS POINTER.
