      * a member with faults
           05  :TAG:-A PIC X.
           05  :TAG:-B PIC Q(3).
               10  :TAG:-C NONSENSE.
