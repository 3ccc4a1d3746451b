       LOOK.
           MOVE FUNCTION FORMATTED-CURRENT-DATE
               ("YYYYMMDDThhmmss.sssssssss") TO WS-STAMP
           COMPUTE WS-NOW = ((WS-HOUR * 60 + WS-MINUTE) * 60
               + WS-SECOND) * 1000000000 + WS-NANOS.
