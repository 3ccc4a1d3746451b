      * What a program tells of its commands: lines of 80 characters in
      * its COMMAREA. A step's name, then EIBRESP, EIBRESP2 and data.
       01  DFHCOMMAREA.
           05  TOLD-LINE               PIC X(80) OCCURS 50.
