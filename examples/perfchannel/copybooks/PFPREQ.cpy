       01  PFPADCON-REQUEST.
           05  LEN-TO-RETURN            PIC S9(9) COMP.
